/** Search without regard to case in a database that folds ASCII only. Pure. */

/** A search text in lower case, and what has to be replaced in a text before it is looked for there. */
export interface FoldedSearch {
  text: string;
  replacements: [from: string, to: string][];
}

/** Folds letter by letter. A letter whose other case is several letters, as `ß`, stays as it is. */
export function foldSearch(search: string): FoldedSearch {
  const replacements = new Map<string, string>();
  const text = Array.from(search, (char) => {
    const folded = foldLetter(char);
    for (const form of [char, folded.toUpperCase(), ...(FORMS.get(folded) ?? [])]) {
      const isOneLetter = Array.from(form).length === 1 && form > "\x7f";
      if (form !== folded && isOneLetter) replacements.set(form, folded);
    }
    return folded;
  }).join("");
  return { text, replacements: [...replacements] };
}

/** Letters with more forms than two. */
const FORMS: ReadonlyMap<string, readonly string[]> = new Map([["σ", ["ς"]]]);

function foldLetter(char: string): string {
  const folded = char.toUpperCase().toLowerCase();
  return Array.from(folded).length === 1 ? folded : char;
}
