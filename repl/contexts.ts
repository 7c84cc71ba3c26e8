import type { Evaluator } from "./evaluate.ts";

/** An evaluator that can also hear the inspector's events. */
export interface ListeningEvaluator
  extends Pick<Evaluator, "post" | "evaluate" | "handle" | "value"> {
  /** Calls back for each event of a method until the returned function is called. */
  on?(method: string, listener: (params: Record<string, unknown>) => void): () => void;
}

/** One V8 context: what is called a scope when functions share it. */
export interface HeapContext {
  /** Unique within one reading. */
  readonly id: number;
  readonly names: ReadonlySet<string>;
}

/** Above this heap a snapshot would take seconds and as much memory again. */
const MAX_HEAP_BYTES = 192 * 1024 * 1024;

interface HeapSnapshot {
  snapshot: {
    meta: { node_fields: string[]; edge_fields: string[]; edge_types: [string[], ...unknown[]] };
  };
  nodes: number[];
  edges: number[];
  strings: string[];
}

/**
 * Reads which contexts functions hold, innermost first. The inspector shows a scope's values but not
 * which scopes are one and the same; a heap snapshot does. Takes about 0.3 s for a small heap.
 * @returns undefined where events cannot be heard or the heap is too large.
 */
export async function readContexts(
  evaluator: ListeningEvaluator,
  functions: readonly object[],
): Promise<Map<object, HeapContext[]> | undefined> {
  if (evaluator.on === undefined) return undefined;
  const { usedSize } = await evaluator.post("Runtime.getHeapUsage");
  if (Number(usedSize) > MAX_HEAP_BYTES) return undefined;
  const ids = new Map<number, object>();
  const chunks: string[] = [];
  const stop = evaluator.on("HeapProfiler.addHeapSnapshotChunk", ({ chunk }) => {
    chunks[chunks.length] = String(chunk);
  });
  try {
    await evaluator.post("HeapProfiler.takeHeapSnapshot", {
      reportProgress: false,
      captureNumericValue: true,
    });
    // Only now: before its first snapshot V8 does not follow objects that a collection moves.
    for (const fn of functions) {
      const objectId = await evaluator.handle(fn);
      const reply = await evaluator.post("HeapProfiler.getHeapObjectId", { objectId });
      ids.set(Number(reply["heapSnapshotObjectId"]), fn);
      await evaluator.post("Runtime.releaseObject", { objectId });
    }
  } finally {
    stop();
    await evaluator.post("HeapProfiler.disable");
  }
  return chains(JSON.parse(chunks.join("")) as HeapSnapshot, ids);
}

function chains(heap: HeapSnapshot, ids: ReadonlyMap<number, object>): Map<object, HeapContext[]> {
  const { meta } = heap.snapshot;
  const width = meta.node_fields.length;
  const idAt = meta.node_fields.indexOf("id");
  const nameAt = meta.node_fields.indexOf("name");
  const countAt = meta.node_fields.indexOf("edge_count");
  const edgeWidth = meta.edge_fields.length;
  const contextEdge = meta.edge_types[0].indexOf("context");
  const internalEdge = meta.edge_types[0].indexOf("internal");
  const { nodes, edges, strings } = heap;

  const firstEdge = new Map<number, number>();
  const found = new Map<object, number>();
  let edge = 0;
  for (let node = 0; node < nodes.length; node += width) {
    const fn = ids.get(nodes[node + idAt] as number);
    if (fn !== undefined) found.set(fn, node);
    const isContext = strings[nodes[node + nameAt] as number]?.startsWith("system / Context");
    if (fn !== undefined || isContext) firstEdge.set(node, edge);
    edge += nodes[node + countAt] as number;
  }

  const visit = (node: number, each: (type: number, name: string, to: number) => void): void => {
    const start = firstEdge.get(node) as number;
    const count = nodes[node + countAt] as number;
    for (let e = start * edgeWidth; e < (start + count) * edgeWidth; e += edgeWidth) {
      const type = edges[e] as number;
      if (type !== contextEdge && type !== internalEdge) continue;
      each(type, String(strings[edges[e + 1] as number]), edges[e + 2] as number);
    }
  };

  const result = new Map<object, HeapContext[]>();
  for (const [fn, start] of found) {
    const chain: HeapContext[] = [];
    let node: number | undefined;
    visit(start, (type, name, to) => {
      if (type === internalEdge && name === "context") node = to;
    });
    while (node !== undefined && firstEdge.has(node)) {
      const names = new Set<string>();
      let previous: number | undefined;
      const id: number = node;
      visit(node, (type, name, to) => {
        if (type === contextEdge) names.add(name);
        if (name === "previous") previous = to;
      });
      chain.push({ id, names });
      node = previous;
    }
    result.set(fn, chain);
  }
  return result;
}
