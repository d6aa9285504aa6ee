/** What the inputs of all conditions have in common. */
export interface ConditionFieldProps {
  label: string;
  error: string | undefined;
}

/** What is to be known about an input stands below it, so that inputs stand level with their names. */
export const DESCRIPTION_BELOW: ("input" | "description" | "error")[] = ["input", "description", "error"];
