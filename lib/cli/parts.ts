/**
 * The parts of the program that are loaded only when a command needs them.
 *
 * Deno reads the files behind every `import("literal")` before it runs the first line, needed or
 * not; that is twice the time of an empty program. A computed specifier is read when it is reached.
 * In exchange a compiled binary has to be told of these files: `LAZY_MODULES` names them.
 *
 * @module
 */

/** The parts by their paths relative to this file. */
export interface Parts {
  "./args_help.ts": typeof import("./args_help.ts");
  "./args_log.ts": typeof import("./args_log.ts");
  "./args_run.ts": typeof import("./args_run.ts");
  "./args_session.ts": typeof import("./args_session.ts");
  "./completions.ts": typeof import("./completions.ts");
  "./help.ts": typeof import("./help.ts");
  "./load_values.ts": typeof import("./load_values.ts");
  "./log_browse.ts": typeof import("./log_browse.ts");
  "./log_command.ts": typeof import("./log_command.ts");
  "./log_follow.ts": typeof import("./log_follow.ts");
  "./present_error.ts": typeof import("./present_error.ts");
  "./read_manifest.ts": typeof import("./read_manifest.ts");
  "./run_command.ts": typeof import("./run_command.ts");
  "./run_progress.ts": typeof import("./run_progress.ts");
  "./self_test.ts": typeof import("./self_test.ts");
  "./session_actions.ts": typeof import("./session_actions.ts");
  "./session_command.ts": typeof import("./session_command.ts");
  "./unknown_option.ts": typeof import("./unknown_option.ts");
  "../config_file.ts": typeof import("../config_file.ts");
  "../demo/demo.ts": typeof import("../demo/demo.ts");
  "../disk_error.ts": typeof import("../disk_error.ts");
  "../input_file.ts": typeof import("../input_file.ts");
  "../run.ts": typeof import("../run.ts");
  "../run_start.ts": typeof import("../run_start.ts");
  "../session_bundle.ts": typeof import("../session_bundle.ts");
  "../session_clear.ts": typeof import("../session_clear.ts");
  "../session_list.ts": typeof import("../session_list.ts");
  "../session_presence.ts": typeof import("../session_presence.ts");
  "../session_repair.ts": typeof import("../session_repair.ts");
  "../version.ts": typeof import("../version.ts");
  "../../log/follow.ts": typeof import("../../log/follow.ts");
  "../../log/open.ts": typeof import("../../log/open.ts");
  "../../log/render_html.ts": typeof import("../../log/render_html.ts");
  "../../log/render_json.ts": typeof import("../../log/render_json.ts");
  "../../log/render_text.ts": typeof import("../../log/render_text.ts");
  "../../log/stats.ts": typeof import("../../log/stats.ts");
  "../../log/stats_session.ts": typeof import("../../log/stats_session.ts");
  "../../log/viewer/show_tui.ts": typeof import("../../log/viewer/show_tui.ts");
}

const modules: Readonly<Record<keyof Parts, true>> = {
  "./args_help.ts": true,
  "./args_log.ts": true,
  "./args_run.ts": true,
  "./args_session.ts": true,
  "./completions.ts": true,
  "./help.ts": true,
  "./load_values.ts": true,
  "./log_browse.ts": true,
  "./log_command.ts": true,
  "./log_follow.ts": true,
  "./present_error.ts": true,
  "./read_manifest.ts": true,
  "./run_command.ts": true,
  "./run_progress.ts": true,
  "./self_test.ts": true,
  "./session_actions.ts": true,
  "./session_command.ts": true,
  "./unknown_option.ts": true,
  "../config_file.ts": true,
  "../demo/demo.ts": true,
  "../disk_error.ts": true,
  "../input_file.ts": true,
  "../run.ts": true,
  "../run_start.ts": true,
  "../session_bundle.ts": true,
  "../session_clear.ts": true,
  "../session_list.ts": true,
  "../session_presence.ts": true,
  "../session_repair.ts": true,
  "../version.ts": true,
  "../../log/follow.ts": true,
  "../../log/open.ts": true,
  "../../log/render_html.ts": true,
  "../../log/render_json.ts": true,
  "../../log/render_text.ts": true,
  "../../log/stats.ts": true,
  "../../log/stats_session.ts": true,
  "../../log/viewer/show_tui.ts": true,
};

/** Paths of the parts, relative to this file: what `deno compile --include` is to be given. */
export const LAZY_MODULES: readonly string[] = Object.keys(modules);

/** Loads a part. */
export function load<P extends keyof Parts>(path: P): Promise<Parts[P]> {
  return import(path);
}
