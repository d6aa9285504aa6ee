/** The logo, and icons from Tabler's set. The build includes only those that are named in the code (`src/cli/vite.config.ts`). */
import set from "@iconify-json/tabler/icons.json";
import type { ReactElement, SVGProps } from "react";

import logo from "./shell/logo.svg";

/**
 * Hidden from screen readers unless `attributes` name it.
 * @param name  a literal in the call, where the build looks for it
 * @param size  of each side, px
 */
export function icon(
  name: keyof typeof set.icons,
  size = 24,
  attributes: SVGProps<SVGSVGElement> & { "data-open"?: boolean | undefined } = {},
): ReactElement {
  return (
    <svg
      {...(attributes["aria-label"] ? { role: "img" } : { "aria-hidden": true })}
      {...attributes}
      width={size}
      height={size}
      viewBox="0 0 24 24"
      data-icon={name}
      dangerouslySetInnerHTML={{ __html: set.icons[name].body }}
    />
  );
}

export function Logo() {
  return <img src={logo} alt="" width={28} height={28} />;
}
