/**
 * Keeps V8's machine code for objects that live for one request. V8 forgets a hidden class when it collects garbage
 * while no object has it, and discards the code of every function that was optimized for it: those functions are
 * interpreted again until they are hot. A busy isolate collects garbage every few seconds, mostly at the start of a
 * request, when there is no visit.
 */
const kept: object[] = [];

/** @param instance  with all members that others of its class have */
export function keepHiddenClass(instance: object): void {
  kept.push(instance);
}
