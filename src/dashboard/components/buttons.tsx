/** Buttons beside the main one of a page or dialog. */
import { Button } from "@mantine/core";

export const PlainButton = Button.withProps({ variant: "default" });

/** Within cards, rows and messages. */
export const SmallButton = Button.withProps({ variant: "default", size: "xs" });
