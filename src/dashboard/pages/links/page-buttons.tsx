/** Buttons for the next and the previous page, and the size of a page. */
import { Button, Group, NativeSelect } from "@mantine/core";

import { IconArrowLeft, IconArrowRight, IconSearch } from "../../icons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import { type LinksViewState, PAGE_SIZES, type PagePosition } from "./links-view.ts";

interface PageButtonsProps {
  state: LinksViewState;
  /** Null: this is the last page. */
  next: PagePosition | null;
  isSearchIncomplete: boolean;
  isLoading: boolean;
}

export function PageButtons({ state, next, isSearchIncomplete, isLoading }: PageButtonsProps) {
  const { view, trail, change, goToNext, goToPrevious } = state;
  const isFirst = view.position.cursor === null;
  if (isFirst && next === null && view.size === PAGE_SIZES[0]) return null;
  const go = (move: () => void) => {
    move();
    window.scrollTo({ top: 0 });
  };
  return (
    <Group component="nav" aria-label={texts.pages} justify="space-between" gap="xs" wrap="nowrap" mt="md">
      <Button
        variant="default"
        leftSection={<IconArrowLeft size={16} aria-hidden />}
        disabled={isFirst || isLoading}
        onClick={() => go(goToPrevious)}
      >
        {trail.length === 0 && !isFirst ? texts.firstPage : texts.previous}
      </Button>
      <NativeSelect
        aria-label={texts.pageSize}
        value={String(view.size)}
        data={PAGE_SIZES.map((size) => ({ value: String(size), label: texts.perPage(size) }))}
        onChange={(event) => {
          const size = Number(event.currentTarget.value);
          change({ size: PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0] });
        }}
      />
      <Button
        variant="default"
        rightSection={
          isSearchIncomplete ? <IconSearch size={16} aria-hidden /> : <IconArrowRight size={16} aria-hidden />
        }
        disabled={next === null || isLoading}
        onClick={() => next !== null && go(() => goToNext(next))}
      >
        {isSearchIncomplete ? texts.searchOn : texts.next}
      </Button>
    </Group>
  );
}
