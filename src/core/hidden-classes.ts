/**
 * Keeps V8's machine code for objects that live for one request. V8 drops a hidden class when it collects garbage while
 * no object has it, and discards the code of every function that was optimized for it. Those functions are interpreted
 * again until they are hot. A busy isolate collects garbage every few seconds, mostly at the start of a request, when
 * no visit object exists.
 */
const kept: object[] = [];

/** @param instance  with all members that other instances of its class have */
export function keepHiddenClass(instance: object): void {
  kept.push(instance);
}
