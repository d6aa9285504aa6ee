/** Toasts, whose container is an aria-live region, and questions. Both wait until their code has loaded (overlays.tsx). */
import type { OpenConfirmModal } from "@mantine/modals";
import { notifications } from "@mantine/notifications";

import { errorMessage } from "./api/api-error.ts";

const closeButtonProps = { "aria-label": "Close this message" };

export function notifySuccess(message: string): void {
  notifications.show({ message, color: "green", closeButtonProps });
}

export function notifyError(title: string, error: unknown): void {
  notifications.show({ title, message: errorMessage(error), color: "red", autoClose: 8_000, closeButtonProps });
}

/** Null until the code of dialogs has loaded. */
let show: ((question: OpenConfirmModal) => void) | null = null;
const waiting: OpenConfirmModal[] = [];

/** Asks for a confirmation in a dialog. */
export function askToConfirm(question: OpenConfirmModal): void {
  if (show) show(question);
  else waiting.push(question);
}

export function showQuestionsWith(open: (question: OpenConfirmModal) => void): void {
  show = open;
  for (const question of waiting.splice(0)) open(question);
}
