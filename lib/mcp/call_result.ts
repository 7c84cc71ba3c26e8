import { inertLine } from "../inert_text.ts";

/** The error that a server reported as the result of a call. */
export class McpCallError extends Error {
  override readonly name = "McpCallError";
}

interface Content {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly data?: unknown;
  readonly blob?: unknown;
  readonly mimeType?: unknown;
  readonly resource?: unknown;
  readonly uri?: unknown;
}

/**
 * The result of a tool as a value for agent code: its structured content where there is one, the
 * text of a single text, else a list; images, audio and files as bytes.
 *
 * @throws {McpCallError} when the server marked the result as an error
 */
export function callValue(result: unknown): unknown {
  const { content, structuredContent, isError, toolResult } = result as Record<string, unknown>;
  const parts = Array.isArray(content) ? content as Content[] : [];
  if (isError === true) {
    const texts = parts.map((part) => typeof part.text === "string" ? part.text : "").join(" ");
    throw new McpCallError(inertLine(texts || "the server gave no reason", 1_000));
  }
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent;
  if (content === undefined && toolResult !== undefined) return toolResult;
  return single(parts.map(contentValue));
}

/** The contents of a resource: a text, bytes, or a list of several by URI. */
export function resourceValue(result: unknown): unknown {
  const contents = (result as { contents?: unknown }).contents;
  const parts = Array.isArray(contents) ? contents as Content[] : [];
  if (parts.length === 1) return bodyOf(parts[0]!);
  return parts.map((part) => ({ uri: part.uri, value: bodyOf(part) }));
}

const single = (values: unknown[]): unknown => values.length === 1 ? values[0] : values;

function contentValue(part: Content): unknown {
  switch (part.type) {
    case "text":
      return part.text;
    case "image":
    case "audio":
      return { type: part.type, mimeType: part.mimeType, bytes: bytesOf(part.data) };
    case "resource": {
      const resource = part.resource as Content | undefined;
      return { type: "resource", uri: resource?.uri, value: resource && bodyOf(resource) };
    }
    default:
      return part;
  }
}

function bodyOf(part: Content): unknown {
  return typeof part.text === "string" ? part.text : bytesOf(part.blob);
}

function bytesOf(base64: unknown): unknown {
  if (typeof base64 !== "string") return undefined;
  try {
    return Uint8Array.fromBase64(base64);
  } catch {
    return base64;
  }
}
