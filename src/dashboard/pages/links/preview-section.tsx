/** How the link will look on social networks, which read it from the destination. Fetched by the service when asked. */
import { Image, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { PagePreview } from "../../../core/contract/dashboard.ts";
import { SmallButton } from "../../components/buttons.tsx";
import { Hint } from "../../components/hint.tsx";
import { unwrap, useApi } from "../../api/client.ts";
import { Loaded } from "../../components/states.tsx";
import { completeUrl } from "../../formatting/typed-url.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { linkPreviewTexts as texts } from "../../texts/link-form.ts";
import { FormSection } from "./form-sections.tsx";

const STALE_MS = 300_000;

export function PreviewSection({ url }: { url: string }) {
  const { api } = useApi();
  const destination = completeUrl(url);
  const [shownUrl, setShownUrl] = useState("");
  const isShown = shownUrl !== "" && shownUrl === destination;
  const preview = useQuery({
    queryKey: ["preview", shownUrl],
    queryFn: (): Promise<PagePreview> => unwrap(api.previews.$post({ json: { url: shownUrl } })),
    enabled: isShown,
    staleTime: STALE_MS,
    retry: false,
  });
  const canShow = URL.canParse(destination);
  return (
    <FormSection title={texts.title} summary="">
      <Hint>{canShow ? texts.hint : texts.needsUrl}</Hint>
      {!isShown && (
        <SmallButton disabled={!canShow} onClick={() => setShownUrl(destination)} w="fit-content">
          {texts.show}
        </SmallButton>
      )}
      {isShown && (
        <Loaded query={preview} skeleton={<Skeleton height={120} aria-label={texts.loading} />}>
          {(page) => <PreviewCard preview={page} url={destination} />}
        </Loaded>
      )}
    </FormSection>
  );
}

function PreviewCard({ preview, url }: { preview: PagePreview; url: string }) {
  const { title, description, site_name, image } = preview;
  const [failedImage, setFailedImage] = useState("");
  if (title === null && description === null && image === null) return <Text size="sm">{texts.nothing}</Text>;
  return (
    <Paper withBorder component="figure" m={0} maw={420} aria-label={texts.title}>
      {image !== null && image !== failedImage && (
        <Image
          src={`/dashboard/api/previews/image?${new URLSearchParams({ url: image })}`}
          alt=""
          h={180}
          fit="cover"
          onError={() => setFailedImage(image)}
        />
      )}
      <Stack gap={2} p="sm">
        <Hint size="xs" truncate>
          {site_name ?? readableHost(new URL(url).hostname)}
        </Hint>
        <Text size="sm" fw={600} lineClamp={2}>
          {title ?? readableHost(new URL(url).hostname)}
        </Text>
        {description !== null && <Hint lineClamp={2}>{description}</Hint>}
      </Stack>
    </Paper>
  );
}
