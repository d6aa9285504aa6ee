/** Toasts. Their container is an aria-live region. */
import { notifications } from "@mantine/notifications";

import { errorMessage } from "./api/api-error.ts";

const closeButtonProps = { "aria-label": "Close this message" };

export function notifySuccess(message: string): void {
  notifications.show({ message, color: "green", closeButtonProps });
}

export function notifyError(title: string, error: unknown): void {
  notifications.show({ title, message: errorMessage(error), color: "red", autoClose: 8_000, closeButtonProps });
}
