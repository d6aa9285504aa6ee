/** Page of all links of the current mode. */
import { Button } from "@mantine/core";
import { useState } from "react";

import { icon } from "../../icons.tsx";
import { useMode } from "../../mode.ts";
import { lazyDialog } from "../../components/lazy-part.tsx";
import { Page } from "../../components/page.tsx";
import { PlainButton } from "../../components/buttons.tsx";
import { linkListTexts as texts } from "../../texts/links.ts";
import { FilterBar } from "./filter-bar.tsx";
import { FirstStepsCard } from "./first-steps.tsx";
import { LinkList } from "./link-list.tsx";
import { isFiltered, type LinksViewState, useLinksView } from "./links-view.ts";
import { useLinkPage } from "./link-page.ts";
import { usePastedLinks } from "./pasted-links.ts";

const CreateLink = lazyDialog(() => import("./create-link.tsx"));
const ExportLinks = lazyDialog(() => import("./export-links.tsx"));
const BulkCreate = lazyDialog(() => import("./bulk-create.tsx"));

export default function Links() {
  const { mode } = useMode();
  const state = useLinksView();
  const { view, openDialog, closeDialog } = state;
  const [pasted, setPasted] = useState<string[]>([]);
  const openWith = (lines: string[]) => {
    setPasted(lines);
    openDialog(lines.length === 1 ? "link" : "many");
  };
  usePastedLinks(openWith);
  const close = () => {
    setPasted([]);
    closeDialog();
  };

  return (
    <Page
      title={texts.title}
      actions={
        <>
          <PlainButton leftSection={icon("table-import", 18)} onClick={() => openDialog("many")}>
            {texts.createMany}
          </PlainButton>
          <Button leftSection={icon("plus", 18)} title={texts.createHint} onClick={() => openDialog("link")}>
            {texts.create}
          </Button>
        </>
      }
    >
      <FirstStepsCard onCreate={() => openDialog("link")} />
      <LinksOfMode key={mode} state={state} />
      {view.dialog === "link" && <CreateLink url={pasted[0] ?? ""} onManyPasted={openWith} onClose={close} />}
      {view.dialog === "export" && <ExportLinks view={view} onClose={close} />}
      {view.dialog === "many" && <BulkCreate text={pasted.join("\n")} onClose={close} />}
    </Page>
  );
}

/** Keyed by mode, so that no row of the other mode is shown while this one's are loaded. */
function LinksOfMode({ state }: { state: LinksViewState }) {
  const { view, change } = state;
  const linkPage = useLinkPage(view);
  const { data } = linkPage.page;
  const isEmpty = data?.links.length === 0 && data.next === null && view.position.cursor === null;
  const isNothingToFilter = isEmpty && !isFiltered(view.filters);
  return (
    <>
      {!isNothingToFilter && <FilterBar state={state} />}
      <LinkList state={state} linkPage={linkPage} onClear={() => change({ filters: {} })} />
    </>
  );
}
