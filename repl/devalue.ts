/**
 * devalue, loaded without Node's process object: it asks `typeof process`, and the mere question
 * builds the whole object, 8 to 14 ms of every start. Modules are evaluated in the order written.
 */
import "./process_hidden.ts";
export { unflatten } from "devalue";
import "./process_shown.ts";
