/**
 * Takes Node's globals away before any module looks for them: merely asking `typeof process`, as
 * devalue does, builds Node's whole process object, 8 ms of a worker's start. To be imported first.
 */
for (const name of ["process", "Buffer"]) Reflect.deleteProperty(globalThis, name);
