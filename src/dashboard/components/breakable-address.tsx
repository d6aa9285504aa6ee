/** An address whose lines break after its dots and slashes, not within its words. */
import { Fragment } from "react";

export function BreakableAddress({ text }: { text: string }) {
  return text.split(/(?<=[./])/).map((part, index) => (
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}
