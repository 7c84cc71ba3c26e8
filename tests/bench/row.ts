import type { Figure } from "./figure.ts";
import type { BenchServer } from "./server.ts";

/** What rows are measured with. */
export interface Bench {
  readonly server: BenchServer;
  /** Fewer repetitions and smaller work, for a first look. */
  readonly quick: boolean;
  /** How often a measurement is repeated. */
  readonly times: number;
}

/** A group of figures that are measured together. */
export interface Row {
  readonly name: string;
  /** Left out of `--quick`: takes long or much memory. */
  readonly heavy?: boolean;
  measure(bench: Bench): Promise<Figure[]>;
}
