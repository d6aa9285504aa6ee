/** Lets calls that came meanwhile run first. */
export function nextTurn(): Promise<void> {
  return new Promise((done) => setTimeout(done, 0));
}
