/**
 * The draft of a form: the browser stores what was typed until it is saved or discarded, and the form shows it when it
 * is opened again. Closing the form's dialog asks before it discards changes; leaving the page keeps them.
 */
import type { UseFormReturnType } from "@mantine/form";
import { useEffect, useRef, useState } from "react";

import { useAccount } from "../api/account.ts";
import { useMode } from "../mode.ts";
import { draftTexts } from "../texts/shell.ts";
import { type DraftAddress, draftPlace, knownMembers, readDraft, removeDraft, writeDraft } from "./draft-storage.ts";
import { useLeavingGuard } from "./leaving-guard.ts";

export type Draft = ReturnType<typeof useDraft>;

interface DraftOptions<T extends object> {
  /** The form and what it changes, such as `edit:lnk_1`. */
  form: string;
  /** The values without changes. */
  initial: T;
  values: T;
  /** Sets some of the values. */
  restore: (typed: Partial<T>) => void;
  /** Members that are never stored: passwords, files. */
  secret?: readonly (keyof T)[];
  /** Whether a stored draft is shown. */
  restores?: boolean;
  /** Whether leaving asks first. */
  asks?: boolean;
}

export function useDraft<T extends object>(options: DraftOptions<T>) {
  const { form, initial, values, restore, secret = [], restores = true, asks = true } = options;
  const address = useDraftAddress(form);
  const [stored] = useState(() => (restores ? readDraft(localStorage, address) : null));
  const [restoredAt, setRestoredAt] = useState<number | null>(null);
  useEffect(() => {
    const typed = stored ? knownMembers(stored, initial) : {};
    if (!stored || Object.keys(typed).length === 0) return;
    restore(typed);
    setRestoredAt(stored.savedAt);
    // Once: later values are those of the form.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, []);

  const edited = (Object.keys(values) as (keyof T)[]).filter(
    (name) => JSON.stringify(values[name]) !== JSON.stringify(initial[name]),
  );
  const storable = edited.filter((name) => !secret.includes(name));
  const text = JSON.stringify(edited.map((name) => values[name]));
  const [doneText, setDoneText] = useState("");
  const isDirty = edited.length > 0 && text !== doneText;
  const content = Object.fromEntries(storable.map((name) => [name, values[name]]));
  const { isKept, remove } = useKeepDraft(address, isDirty && storable.length > 0, content);
  const isWholeKept = isKept && storable.length === edited.length;
  useDraftGuard(isDirty && asks, isWholeKept);
  return {
    isDirty,
    /** When the restored values were typed, epoch ms; null if the form was opened without a draft. */
    restoredAt: isDirty ? restoredAt : null,
    /** Returns to the values without changes. */
    reset: () => {
      restore(initial);
      setRestoredAt(null);
    },
    /** Removes the draft, because the values were saved or are discarded. */
    done: () => {
      remove();
      setDoneText(text);
    },
  };
}

/** @param initial  the values without changes, if they are not those with which the form was created */
export function useFormDraft<V extends object>(
  form: UseFormReturnType<V>,
  {
    initial = form.getInitialValues(),
    ...options
  }: Pick<DraftOptions<V>, "form" | "secret" | "asks"> & { initial?: V },
): Draft {
  return useDraft({ initial, values: form.values, restore: (typed) => form.setValues(typed), ...options });
}

/** The values of a form with few inputs, and their draft. */
export function useDraftState<T extends object>(form: string, initial: T) {
  const [values, setValues] = useState(initial);
  const change = (changed: Partial<T>) => setValues((before) => ({ ...before, ...changed }));
  return [values, change, useDraft({ form, initial, values, restore: change })] as const;
}

/** The place of the draft, as `draftPlace` finds it when the form is opened. */
export function useDraftPlace(form: string, isFree: boolean): string {
  const address = useDraftAddress(form);
  const [place] = useState(() => draftPlace(localStorage, address, isFree));
  return place;
}

export function useDraftAddress(form: string): DraftAddress {
  const { mode } = useMode();
  const { data: account } = useAccount();
  return { accountId: account?.id ?? "", mode, form };
}

/** Asks before changes are left. @param isKept  whether everything is stored */
export function useDraftGuard(isDirty: boolean, isKept: boolean): void {
  useLeavingGuard(isDirty, isKept ? draftTexts.kept : draftTexts.lost, !isKept);
}

/**
 * Stores every change of a form, and removes the draft once the form has no changes.
 * @returns whether it is stored, and a function that removes it
 */
export function useKeepDraft({ accountId, mode, form }: DraftAddress, isDirty: boolean, content: object) {
  const [isKept, setIsKept] = useState(true);
  const wasDirty = useRef(false);
  const removedText = useRef("");
  const text = JSON.stringify(content);
  useEffect(() => {
    // The account is unknown while an ended session redirects to sign-in: the stored draft stays as it is.
    if (accountId === "" || text === removedText.current) return;
    const address = { accountId, mode, form };
    if (isDirty) {
      const draft = { ...(JSON.parse(text) as object), savedAt: Date.now() };
      setIsKept(writeDraft(localStorage, address, draft));
    } else if (wasDirty.current) {
      removeDraft(localStorage, address);
    }
    wasDirty.current = isDirty;
  }, [accountId, mode, form, text, isDirty]);
  const remove = () => {
    removedText.current = text;
    removeDraft(localStorage, { accountId, mode, form });
  };
  return { isKept, remove };
}
