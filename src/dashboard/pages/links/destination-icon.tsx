/** The place of the destination's icon in a row. */
import { IconWorld } from "@tabler/icons-react";

import classes from "./link-list.module.css";

export function DestinationIcon() {
  return (
    <span className={classes.icon} aria-hidden>
      <IconWorld size={18} />
    </span>
  );
}
