/** Memory of a process and all that it started, as Linux tells it. */

const PAGE_MS = 15;

function children(pid: number): number[] {
  try {
    const found: number[] = [];
    for (const task of Deno.readDirSync(`/proc/${pid}/task`)) {
      const text = Deno.readTextFileSync(`/proc/${pid}/task/${task.name}/children`);
      found.push(...text.split(" ").filter(Boolean).map(Number));
    }
    return found;
  } catch {
    return [];
  }
}

/** The process and its descendants. */
export function processTree(pid: number): number[] {
  return [pid, ...children(pid).flatMap(processTree)];
}

/** Proportional set size in bytes: pages that processes share are counted once in all. */
export function pss(pid: number): number {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
    return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Bytes over a whole tree of processes, now. */
export function treeMemory(pid: number): number {
  return processTree(pid).reduce((sum, one) => sum + pss(one), 0);
}

/** Watches a tree of processes; `stop` gives the most memory seen at one time, in bytes. */
export function watchMemory(pid: number): { stop(): { peak: number; processes: number } } {
  let peak = 0;
  let processes = 0;
  const timer = setInterval(() => {
    const tree = processTree(pid);
    peak = Math.max(peak, tree.reduce((sum, one) => sum + pss(one), 0));
    processes = Math.max(processes, tree.length);
  }, PAGE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      return { peak, processes };
    },
  };
}
