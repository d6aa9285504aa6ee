/** Shared parts of forms: the frame with the form's error, errors at fields, and the buttons of a dialog. */
import { Alert, type ButtonProps, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { useForm, type UseFormInput, type UseFormReturnType } from "@mantine/form";
import { createContext, type ReactNode, type RefObject, use, useEffect, useRef } from "react";

import { timestamp } from "../../core/time.ts";
import { ApiError, errorMessage } from "../api/api-error.ts";
import { useAbortableMutation } from "../api/mutations.ts";
import { formatIn } from "../formatting/dates.ts";
import { notifySuccess } from "../notifications.ts";
import { buttonTexts, draftTexts } from "../texts/shell.ts";
import { PlainButton, SmallButton, SubmitButton } from "./buttons.tsx";
import { confirmLeaving } from "./leaving-guard.ts";
import { Notice } from "./states.tsx";
import classes from "./form.module.css";
import { type Draft, useFormDraft } from "./use-draft.ts";

interface FormProps<V extends object> {
  form: UseFormReturnType<V>;
  onSubmit: (values: V) => void;
  /** The error of the last attempt. */
  error?: unknown;
  /** What else shows its errors, besides the form's fields. */
  alsoShown?: string;
  draft?: Draft;
  children: ReactNode;
}

export function Form<V extends object>({ form, onSubmit, error, alsoShown, draft, children }: FormProps<V>) {
  return (
    <form onSubmit={form.onSubmit((values) => onSubmit(values))} noValidate>
      <Stack>
        {draft && <FormDraft draft={draft} />}
        <FormError error={error} fields={[...Object.keys(form.values), alsoShown]} />
        {children}
      </Stack>
    </form>
  );
}

/** Says that a form shows an earlier draft. The dialog around it asks before changes are discarded. */
export function FormDraft({ draft: { isDirty, restoredAt, reset, done } }: { draft: Draft }) {
  const dialog = use(FormDialog);
  useEffect(() => {
    if (!dialog || !isDirty) return;
    const { discard } = dialog;
    discard.current = done;
    return () => void (discard.current = null);
  });
  return (
    <div role="status">
      {restoredAt !== null && (
        <Notice role="status" actions={<SmallButton onClick={reset}>{draftTexts.reset}</SmallButton>}>
          {draftTexts.restored(formatIn("dateTimeToMinute", timestamp(restoredAt)))}
        </Notice>
      )}
    </div>
  );
}

/** The dialog around a form. */
const FormDialog = createContext<{
  /** Discards the form's changes; null while there are none. */
  discard: RefObject<(() => void) | null>;
  /** Closes the dialog, once confirmed if there are changes. */
  close: () => void;
} | null>(null);

/** A dialog with a form: closing it asks before changes are discarded. */
export function FormModal({ onClose, ...modal }: Omit<ModalProps, "opened"> & { opened?: boolean }) {
  const discard = useRef<(() => void) | null>(null);
  const close = () => {
    const forget = discard.current;
    if (!forget) return onClose();
    confirmLeaving(draftTexts.discard, () => {
      forget();
      onClose();
    });
  };
  return (
    <FormDialog value={{ discard, close }}>
      <Modal opened onClose={close} {...modal} />
    </FormDialog>
  );
}

/** Shows nothing for an error of fields that show it. Others, such as of a header, have no field. */
export function FormError({ error, fields = [] }: { error: unknown; fields?: readonly (string | undefined)[] }) {
  const problems = error instanceof ApiError ? error.problems : [];
  const areShown = problems.length > 0 && problems.every(({ path }) => fields.includes(path.split(".")[0]));
  return error && !areShown ? <Alert color="red">{errorMessage(error)}</Alert> : null;
}

/** Shows the API's errors at the fields that they name. */
export function showAtFields(form: { setErrors: (errors: Record<string, string>) => void }): (error: unknown) => void {
  return (error) => {
    if (error instanceof ApiError) form.setErrors(error.fieldErrors());
  };
}

interface SavedForm<V extends object, T> extends Pick<UseFormInput<V>, "validate"> {
  /** Name of the draft. */
  name: string;
  initialValues: V;
  send: (values: V, init: { init: { signal: AbortSignal } }) => Promise<T>;
  /** The success message. */
  saved?: (result: T) => string;
  onClose?: () => void;
  refresh: (result: T) => unknown;
}

/** The form of a dialog, with its draft. The dialog is closed once the values are saved. */
export function useSavedForm<V extends object, T>(saving: SavedForm<V, T>) {
  const { name, send, saved, refresh, onClose, ...input } = saving;
  const form = useForm<V>(input);
  const draft = useFormDraft(form, { form: name });
  const save = useAbortableMutation({
    mutationFn: (values: V, signal) => send(values, { init: { signal } }),
    onSuccess: (result) => {
      draft.done();
      if (saved) notifySuccess(saved(result));
      onClose?.();
      return refresh(result);
    },
    onError: showAtFields(form),
  });
  return { form, draft, save };
}

interface FormButtonsProps extends Pick<ButtonProps, "color" | "disabled"> {
  cancel?: string | undefined;
  submit?: string;
  isPending: boolean;
}

/** For a form in `FormModal`. */
export function FormButtons(props: FormButtonsProps) {
  const { cancel, submit = buttonTexts.save, isPending, ...button } = props;
  return (
    <Group justify="flex-end" className={classes.buttons ?? ""}>
      <CancelButton text={cancel} />
      <SubmitButton loading={isPending} {...button}>
        {submit}
      </SubmitButton>
    </Group>
  );
}

export function CancelButton({ text = buttonTexts.cancel }: { text?: string | undefined }) {
  return <PlainButton onClick={use(FormDialog)?.close}>{text}</PlainButton>;
}
