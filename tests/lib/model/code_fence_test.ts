import assert from "node:assert/strict";
import { endOfFirstCode } from "../../../lib/model/code_fence.ts";

const table: readonly (readonly [name: string, text: string, code: string | undefined])[] = [
  ["a block", "a\n```js\nx\n```\nrest", "a\n```js\nx\n```\n"],
  ["a bare block", "```\nx\n```\n", "```\nx\n```\n"],
  ["the first of two", "```ts\n1\n```\n```ts\n2\n```\n", "```ts\n1\n```\n"],
  ["a block whose last line may go on", "```js\nx\n```", undefined],
  ["an open block", "```js\nx\n", undefined],
  [
    "another language first",
    "```json\n{}\n```\n```js\nx\n```\n",
    "```json\n{}\n```\n```js\nx\n```\n",
  ],
  ["only another language", "```sh\nls\n```\n", undefined],
  ["a longer fence holds a shorter one", "````js\n`\n```\n````\n", "````js\n`\n```\n````\n"],
  ["tildes", "~~~js\nx\n~~~\n", "~~~js\nx\n~~~\n"],
  ["CR LF", "```js\r\nx\r\n```\r\n", "```js\r\nx\r\n```\r\n"],
  ["fences inside a line", "use ``` and ```js x```\n", undefined],
  ["no code", "prose\n", undefined],
  ["nothing", "", undefined],
];

for (const [name, text, code] of table) {
  Deno.test(`end of first code: ${name}`, () => {
    const end = endOfFirstCode(text);
    assert.equal(end === undefined ? undefined : text.slice(0, end), code);
  });
}
