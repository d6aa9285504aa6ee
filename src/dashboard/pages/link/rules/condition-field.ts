/** Props and layout that the inputs of all conditions share. */
export interface ConditionFieldProps {
  label: string;
  error: string | undefined;
  /** Takes the focus when it appears: it was just added. */
  autoFocus: boolean;
}

/** With the description above it, an input would not align with the condition's name beside it. */
export const DESCRIPTION_BELOW: ("input" | "description" | "error")[] = ["input", "description", "error"];
