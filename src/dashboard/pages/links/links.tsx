/** Page of all links of the current mode. */
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import type { Link } from "../../../core/contract/links.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { AddButton, PlainButton } from "../../components/buttons.tsx";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { linkListTexts } from "../../texts/links.ts";
import { FilterBar } from "./filter-bar.tsx";
import { FirstStepsCard } from "./first-steps.tsx";
import { LinkList } from "./link-list.tsx";
import { useLinkPage } from "./link-page.ts";
import { isFiltered, type LinksViewState, useColumns, useLinksView } from "./links-view.ts";
import { usePastedLinks } from "./pasted-links.ts";

const CreateLink = lazyDialog(() => import("./create-link.tsx"));
const ExportLinks = lazyDialog(() => import("./export-links.tsx"));
const BulkCreate = lazyDialog(() => import("./bulk-create.tsx"));

export default function Links() {
  const { mode } = useMode();
  const state = useLinksView();
  const { view, openDialog, closeDialog } = state;
  const [pasted, setPasted] = useState<string[]>([]);
  const [copied, setCopied] = useState<Link>();
  const openWith = (lines: string[]) => {
    setPasted(lines);
    openDialog(lines.length === 1 ? "link" : "many");
  };
  usePastedLinks(openWith);
  useEffect(() => {
    // Also after Back, so that the next dialog is empty.
    if (view.dialog !== null) return;
    setPasted([]);
    setCopied(undefined);
  }, [view.dialog]);
  const duplicate = (link: Link) => {
    setCopied(link);
    openDialog("link");
  };

  return (
    <Page
      title={linkListTexts.title}
      actions={
        <>
          <PlainButton leftSection={icon("table-import", 18)} onClick={() => openDialog("many")}>
            {linkListTexts.createMany}
          </PlainButton>
          <AddButton title={linkListTexts.createHint} onClick={() => openDialog("link")}>
            {linkListTexts.create}
          </AddButton>
        </>
      }
    >
      <FirstStepsCard onCreate={() => openDialog("link")} />
      <LinksOfMode key={mode} state={state} onDuplicate={duplicate} />
      {view.dialog === "link" && (
        <CreateLink url={pasted[0] ?? ""} copied={copied} onManyPasted={openWith} onClose={closeDialog} />
      )}
      {view.dialog === "export" && <ExportLinks view={view} onClose={closeDialog} />}
      {view.dialog === "many" && <BulkCreate text={pasted.join("\n")} onClose={closeDialog} />}
    </Page>
  );
}

/** Keyed by mode, so that no row of the other mode is shown while this mode's are loading. */
function LinksOfMode({ state, onDuplicate }: { state: LinksViewState; onDuplicate: (link: Link) => void }) {
  const { view, change } = state;
  const linkPage = useLinkPage(view);
  const columns = useColumns();
  const { data } = linkPage.page;
  const isEmpty = data?.links.length === 0 && data.next === null && view.position.cursor === null;
  const seemsNew = isEmpty && !isFiltered(view.filters);
  const hasArchived = useHasArchived(seemsNew);
  const isNothingToFilter = seemsNew && !hasArchived;
  return (
    <>
      {!isNothingToFilter && <FilterBar state={state} columns={columns} />}
      <LinkList
        state={state}
        linkPage={linkPage}
        isShown={columns.isShown}
        onDuplicate={onDuplicate}
        onClear={() => change({ filters: {} })}
      />
    </>
  );
}

/** Whether the mode has archived links, which only a filter lists. */
function useHasArchived(isWanted: boolean): boolean {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "links", "archived"],
    queryFn: ({ signal }) => unwrap(api.links.$get({ query: { archived: "true", limit: "1" } }, { init: { signal } })),
    enabled: isWanted,
  });
  return data !== undefined && (data.data.length > 0 || data.has_more);
}
