export { grouped } from "../repl/grouped.ts";
