import { statuses } from "./wire_rows_status.ts";
import { bodies } from "./wire_rows_body.ts";
import { usages } from "./wire_rows_usage.ts";
import { replies } from "./wire_rows_reply.ts";
import { streams } from "./wire_rows_stream.ts";
import type { WireRow } from "./wire_row.ts";

export type { WireRow } from "./wire_row.ts";

/** All rows. */
export const wireRows: readonly WireRow[] = [
  ...statuses,
  ...bodies,
  ...usages,
  ...replies,
  ...streams,
];
