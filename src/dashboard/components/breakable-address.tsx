/** An address whose lines break after the slashes of its path, not within its words. */
import { Fragment } from "react";

interface BreakableAddressProps {
  text: string;
  /** Where lines may break. */
  at?: RegExp;
}

export function BreakableAddress({ text, at = /(?<=[^/]\/)(?!\/)/ }: BreakableAddressProps) {
  return text.split(at).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
