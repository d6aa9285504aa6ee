/** Short messages at the edge of the window; the container is an aria-live region. */
import { notifications } from "@mantine/notifications";

import { messageOf } from "../api/api-error.ts";

const closeButtonProps = { "aria-label": "Close this message" };

export function notifyDone(message: string): void {
  notifications.show({ message, color: "green", closeButtonProps });
}

export function notifyFailed(title: string, error: unknown): void {
  notifications.show({ title, message: messageOf(error), color: "red", autoClose: 8_000, closeButtonProps });
}
