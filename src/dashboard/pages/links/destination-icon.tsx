/** The icon of a destination's site, fetched by the service; a globe if it has none. */
import { useState } from "react";

import { icon } from "../../icons.tsx";
import classes from "./link-list.module.css";

const SIZE_PX = 18;

export function DestinationIcon({ url }: { url: string }) {
  const host = URL.parse(url)?.hostname ?? "";
  const [failedHost, setFailedHost] = useState("");
  return (
    <span className={classes.icon} aria-hidden>
      {host === "" || host === failedHost ? (
        icon("world", SIZE_PX)
      ) : (
        <img
          src={`/dashboard/api/favicons/${encodeURIComponent(host)}`}
          width={SIZE_PX}
          height={SIZE_PX}
          alt=""
          loading="lazy"
          decoding="async"
          onError={() => setFailedHost(host)}
        />
      )}
    </span>
  );
}
