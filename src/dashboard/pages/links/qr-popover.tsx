/** QR code of a link from its row: the newest to download, or a button that creates the first one in the latest design. */
import { Alert, Button, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { IconButton, SmallButton } from "../../components/buttons.tsx";
import type { QrCode } from "../../../core/contract/qr-codes.ts";
import { useAccount } from "../../api/account.ts";
import { useAbortableMutation, useIdempotencyKey } from "../../api/mutations.ts";
import { queryClient, unwrap, useApi } from "../../api/client.ts";
import { errorMessage } from "../../api/api-error.ts";
import { loadPart } from "../../components/lazy-part.tsx";
import { PopoverButton } from "../../components/overlay-parts.tsx";
import { Loaded } from "../../components/states.tsx";
import { downloadProps } from "../../files/download.ts";
import { linkName } from "../../formatting/hosts.ts";
import { icon } from "../../icons.tsx";
import { linkListTexts, qrPopoverTexts as texts } from "../../texts/links.ts";
import classes from "./qr-popover.module.css";

export function QrPopover({ link }: { link: Link }) {
  const name = linkName(link);
  return (
    <PopoverButton
      position="bottom-end"
      width={240}
      label={linkListTexts.qrCodeOf(name)}
      button={<IconButton label={linkListTexts.qrCodeOf(name)} sign={icon("qrcode", 18)} />}
    >
      <QrPanel link={link} />
    </PopoverButton>
  );
}

/** The newest code to download, or a button that creates the first one. */
export function QrPanel({ link }: { link: Link }) {
  const { api, mode } = useApi();
  const accountId = useAccount().data?.id ?? "";
  // Its key extends that of the list, so that an archived code is not shown.
  const key = [mode, "qr", link.id, "newest"];
  const newest = useQuery({
    queryKey: key,
    queryFn: async () => {
      const { data } = await unwrap(api.qr.$get({ query: { link_id: link.id, limit: "1" } }));
      return (data[0] as QrCode | undefined) ?? null;
    },
  });
  const { headersOf } = useIdempotencyKey();
  const create = useAbortableMutation({
    mutationFn: async (_: void, signal) => {
      const { quickQrCode, readBrand } = await loadPart(() => import("../link/qr/qr-design.ts"));
      const json = quickQrCode(link.id, readBrand(localStorage, accountId));
      return unwrap(api.qr.$post({ json }, { headers: headersOf(json), init: { signal } }));
    },
    onSuccess: (code) => {
      queryClient.setQueryData(key, code);
      void queryClient.invalidateQueries({ queryKey: [mode, "qr"] });
    },
  });
  return (
    <Stack gap="sm">
      {create.error && <Alert color="red">{errorMessage(create.error)}</Alert>}
      <Loaded query={newest} skeleton={<Skeleton height={160} />}>
        {(code) =>
          code ? (
            <NewestCode code={code} slug={link.slug} />
          ) : (
            <>
              <Text size="sm">{texts.none}</Text>
              <Button size="xs" loading={create.isPending} onClick={() => create.mutate()}>
                {texts.create}
              </Button>
            </>
          )
        }
      </Loaded>
      <SmallButton component={RouterLink} to={`/links/${link.id}?tab=qr`}>
        {texts.design}
      </SmallButton>
    </Stack>
  );
}

function NewestCode({ code: { name, url, format, scans }, slug }: { code: QrCode; slug: string }) {
  return (
    <>
      {name !== undefined && <Text size="sm">{name}</Text>}
      <img src={url} alt={texts.image} width={160} height={160} className={classes.image} />
      <Text size="sm">{texts.scans(scans)}</Text>
      <Button size="xs" component="a" {...downloadProps(url, `${slug}.${format}`)} leftSection={icon("download", 16)}>
        {texts.download(format.toUpperCase())}
      </Button>
    </>
  );
}
