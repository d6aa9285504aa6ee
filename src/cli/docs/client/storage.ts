/** @returns null where the browser forbids it: then nothing is remembered, and the page works on */
export function storage(place: "localStorage" | "sessionStorage"): Storage | null {
  try {
    return window[place];
  } catch {
    return null;
  }
}
