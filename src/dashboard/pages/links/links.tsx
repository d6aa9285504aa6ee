/** Page of all links of the current mode. */
import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconPlus, IconTableImport } from "@tabler/icons-react";
import { lazy, Suspense, useState } from "react";
import { useSearchParams } from "wouter";

import { useMode } from "../../mode.tsx";
import { Page } from "../../components/page.tsx";
import { FilterBar } from "./filter-bar.tsx";
import { filtersToSearchParams, type LinkFilters, filtersFromSearchParams } from "./filters.ts";
import { LinkList } from "./link-list.tsx";

const CreateLink = lazy(() => import("./create-link.tsx"));
const BulkCreate = lazy(() => import("./bulk-create.tsx"));

export default function Links() {
  const { mode } = useMode();
  const [searchParams, setSearchParams] = useSearchParams();
  const filters = filtersFromSearchParams(searchParams);
  const applyFilters = (next: LinkFilters) => setSearchParams(filtersToSearchParams(next), { replace: true });
  /** Part of the bar's key: "Show all links" remounts it, since it holds the typed search as state. */
  const [filterResets, setFilterResets] = useState(0);
  const clearFilters = () => {
    applyFilters({ sort: filters.sort });
    setFilterResets(filterResets + 1);
  };
  const [creating, create] = useDisclosure();
  const [importing, bulk] = useDisclosure();

  return (
    <Page
      title="Links"
      actions={
        <>
          <Button variant="default" leftSection={<IconTableImport size={18} aria-hidden />} onClick={bulk.open}>
            Create many
          </Button>
          <Button leftSection={<IconPlus size={18} aria-hidden />} onClick={create.open}>
            Create link
          </Button>
        </>
      }
    >
      <FilterBar key={`${mode} ${filterResets}`} filters={filters} onChange={applyFilters} />
      <LinkList
        key={`${mode}?${filtersToSearchParams(filters)}`}
        filters={filters}
        onClear={clearFilters}
        onCreate={create.open}
      />
      <Suspense fallback={null}>
        {creating && <CreateLink onClose={create.close} />}
        {importing && <BulkCreate onClose={bulk.close} />}
      </Suspense>
    </Page>
  );
}
