import {
  type CliOption,
  COMMAND_WORDS,
  type CommandName,
  SESSION_VERBS,
  type Shell,
  SHELLS,
} from "./options.ts";
import { OPTIONS } from "./all_options.ts";

/** What may follow a command word at once, besides options. */
const WORDS: Readonly<Record<string, readonly string[]>> = {
  session: Object.keys(SESSION_VERBS),
  completions: SHELLS,
  help: Object.keys(OPTIONS),
};

/** Commands that take paths. */
const TAKES_PATHS: readonly string[] = ["log"];

/** The completion script of a shell, made from the tables of options and commands. */
export function completionScript(shell: Shell): string {
  switch (shell) {
    case "bash":
      return bash();
    case "zsh":
      return zsh();
    case "fish":
      return fish();
  }
}

const commands = Object.keys(OPTIONS) as CommandName[];
const flagsOf = (command: CommandName): string =>
  OPTIONS[command].flatMap((o) => [
    `--${o.flag}`,
    ...(o.short === undefined ? [] : [`-${o.short}`]),
  ]).join(" ");

const allOptions = (): CliOption[] => commands.flatMap((command) => OPTIONS[command]);
const withValue = (kind: CliOption["completes"]): string[] => [
  ...new Set(allOptions().filter((o) => o.completes === kind).map((o) => `--${o.flag}`)),
];

function bash(): string {
  const listed = allOptions().filter((o) => Array.isArray(o.completes));
  const others = allOptions().filter((o) =>
    o.placeholder !== undefined && o.completes === undefined && !o.optionalValue
  ).map((o) => `--${o.flag}`);
  return `# bash completion for fast-rlm
# install: fast-rlm completions bash > ~/.local/share/bash-completion/completions/fast-rlm
# adds paths to what is offered; one a line, since names may hold blanks
_fast_rlm_paths() {
  local IFS=$'\\n'
  COMPREPLY+=($(compgen "$1" -- "$cur"))
}
_fast_rlm() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" prev="\${COMP_WORDS[COMP_CWORD-1]}" flags words="" i
  # bash splits --flag=value into three words
  if [[ "$cur" == "=" ]]; then cur=""; elif [[ "$prev" == "=" ]]; then prev="\${COMP_WORDS[COMP_CWORD-2]}"; fi
  COMPREPLY=()
  case "$prev" in
    ${withValue("file").join("|")}) _fast_rlm_paths -f; return ;;
    ${withValue("directory").join("|")}) _fast_rlm_paths -d; return ;;
${
    listed.map((o) =>
      `    --${o.flag}) COMPREPLY=($(compgen -W "${
        (o.completes as readonly string[]).join(" ")
      }" -- "$cur")); return ;;`
    ).join("\n")
  }
    ${[...new Set(others)].join("|")}) return ;;
  esac
  case "\${COMP_WORDS[1]}" in
    log|session) flags="\${COMP_WORDS[1]}" ;;
    *) flags="run" ;;
  esac
  if [[ "$cur" == -* ]]; then
    case "$flags" in
${
    commands.map((c) =>
      `      ${c}) COMPREPLY=($(compgen -W "${flagsOf(c)}" -- "$cur")); return ;;`
    ).join("\n")
  }
    esac
  fi
  if ((COMP_CWORD == 1)); then words="${COMMAND_WORDS.join(" ")}"
  elif ((COMP_CWORD == 2)); then
    case "\${COMP_WORDS[1]}" in
${Object.entries(WORDS).map(([c, w]) => `      ${c}) words="${w.join(" ")}" ;;`).join("\n")}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  case "\${COMP_WORDS[1]}" in
    ${TAKES_PATHS.join("|")}) ((COMP_CWORD > 1)) && _fast_rlm_paths -f ;;
    # the first word is a verb; what cannot be one is a path
    session) ((COMP_CWORD > 2 || (COMP_CWORD == 2 && \${#COMPREPLY[@]} == 0))) && _fast_rlm_paths -f ;;
  esac
}
_fast_rlm_log() {
  local cur="\${COMP_WORDS[COMP_CWORD]}"
  if [[ "$cur" == -* ]]; then COMPREPLY=($(compgen -W "${flagsOf("log")}" -- "$cur"))
  else COMPREPLY=(); _fast_rlm_paths -f; fi
}
complete -o filenames -F _fast_rlm fast-rlm
complete -o filenames -F _fast_rlm_log fast-rlm-log
`;
}

/** Text inside single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** Text inside a \`_arguments\` specification: brackets and colons have a meaning there. */
const spec = (text: string): string => text.replace(/[[\]:\\]/g, "\\$&");

function zshOption(option: CliOption): string[] {
  const action = option.completes === "file"
    ? "_files"
    : option.completes === "directory"
    ? "_files -/"
    : Array.isArray(option.completes)
    ? `(${option.completes.join(" ")})`
    : " ";
  const value = option.placeholder === undefined
    ? ""
    : `${option.optionalValue ? "::" : ":"}${spec(option.placeholder)}:${action}`;
  const equals = option.placeholder === undefined ? "" : option.optionalValue ? "=-" : "=";
  const long = quoted(`--${option.flag}${equals}[${spec(option.help)}]${value}`);
  return option.short === undefined
    ? [long]
    : [long, quoted(`-${option.short}[${spec(option.help)}]`)];
}

function zsh(): string {
  const of = (command: CommandName): string =>
    OPTIONS[command].flatMap(zshOption).map((line) => `    ${line} \\`).join("\n");
  return `#compdef fast-rlm fast-rlm-log
# zsh completion for fast-rlm
# install: fast-rlm completions zsh > "\${fpath[1]}/_fast-rlm"
_fast_rlm_run() {
  _arguments -s \\
${of("run")}
    '*:prompt: '
}
_fast_rlm_log() {
  _arguments -s \\
${of("log")}
    '*:path:_files'
}
_fast_rlm_session() {
  _arguments -s \\
${of("session")}
    '1:verb:(${WORDS["session"]!.join(" ")})' '*:path:_files'
}
_fast_rlm() {
  if [[ "$service" == fast-rlm-log ]]; then _fast_rlm_log; return; fi
  if ((CURRENT == 2)) && [[ "\${words[2]}" != -* ]]; then
    compadd -- ${COMMAND_WORDS.join(" ")}
    return
  fi
  case "\${words[2]}" in
    run) shift words; ((CURRENT--)); _fast_rlm_run ;;
    log) shift words; ((CURRENT--)); _fast_rlm_log ;;
    session) shift words; ((CURRENT--)); _fast_rlm_session ;;
${
    ["completions", "help"].map((c) => `    ${c}) compadd -- ${WORDS[c]!.join(" ")} ;;`).join(
      "\n",
    )
  }
    *) _fast_rlm_run ;;
  esac
}
if [[ "$funcstack[1]" == "_fast-rlm" ]]; then _fast_rlm "$@"; else compdef _fast_rlm fast-rlm fast-rlm-log; fi
`;
}

function fish(): string {
  const verbSeen = `__fish_seen_subcommand_from ${WORDS["session"]!.join(" ")}`;
  const seen = (command: CommandName): string =>
    command === "run"
      ? "not __fish_seen_subcommand_from log session completions help"
      : `__fish_seen_subcommand_from ${command}`;
  const line = (command: CommandName, option: CliOption, program = "fast-rlm"): string => {
    const value = option.placeholder === undefined || option.optionalValue
      ? ""
      : Array.isArray(option.completes)
      ? ` -x -a ${quoted(option.completes.join(" "))}`
      : option.completes === "directory"
      ? " -x -a '(__fish_complete_directories)'"
      : option.completes === "file"
      ? " -r -F"
      : " -x";
    const short = option.short === undefined ? "" : ` -s ${option.short}`;
    const when = program === "fast-rlm" ? ` -n ${quoted(seen(command))}` : "";
    return `complete -c ${program}${when} -l ${option.flag}${short}${value} -d ${
      quoted(option.help)
    }`;
  };
  return [
    "# fish completion for fast-rlm",
    "# install: fast-rlm completions fish > ~/.config/fish/completions/fast-rlm.fish",
    "complete -c fast-rlm -f",
    `complete -c fast-rlm -n __fish_use_subcommand -a ${quoted(COMMAND_WORDS.join(" "))}`,
    ...Object.entries(WORDS).map(([command, words]) => {
      const first = command === "session" ? `; and not ${verbSeen}` : "";
      return `complete -c fast-rlm -n '__fish_seen_subcommand_from ${command}${first}' -a ${
        quoted(words.join(" "))
      }`;
    }),
    `complete -c fast-rlm -n '__fish_seen_subcommand_from session; and ${verbSeen}' -F`,
    ...TAKES_PATHS.map((command) =>
      `complete -c fast-rlm -n '__fish_seen_subcommand_from ${command}' -F`
    ),
    ...commands.flatMap((command) => OPTIONS[command].map((option) => line(command, option))),
    ...OPTIONS.log.map((option) => line("log", option, "fast-rlm-log")),
    "",
  ].join("\n");
}
