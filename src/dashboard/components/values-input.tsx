/** Input of a list of typed values. */
import { TagsInput, type TagsInputProps } from "@mantine/core";
import { useLayoutEffect, useRef, useState } from "react";

interface ValuesInputProps extends TagsInputProps {
  /** The list as the form keeps it: trimmed, without duplicates. */
  clean?: (values: readonly string[]) => string[];
}

/** The value includes the text that is being typed, as its last item: forms keep it like every other input. */
export function ValuesInput({ value = [], onChange, onSearchChange, clean = trimmed, ...input }: ValuesInputProps) {
  const [search, setSearch] = useState("");
  const [hasTyped, setHasTyped] = useState(false);
  const entered = hasTyped && value.at(-1) === clean([search])[0] ? value.slice(0, -1) : value;
  // An entered value is reported before its text is removed, in the same event.
  const latest = useRef(entered);
  useLayoutEffect(() => {
    latest.current = entered;
  });
  const change = (next: string[]) => {
    latest.current = clean(next);
    setHasTyped(false);
    onChange?.(latest.current);
  };
  const type = (text: string) => {
    if (text === search) return;
    setSearch(text);
    onSearchChange?.(text);
    const next = clean([...latest.current, text]);
    setHasTyped(next.length > latest.current.length);
    onChange?.(next);
  };
  return (
    <TagsInput
      acceptValueOnBlur
      {...input}
      searchValue={search}
      onSearchChange={type}
      value={entered}
      onChange={change}
    />
  );
}

export function trimmed(values: readonly string[]): string[] {
  return [...new Set(values.map((value) => value.trim()))].filter(Boolean);
}
