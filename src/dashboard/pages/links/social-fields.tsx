/** The card of a link in previews: its fields and how it looks. Shows no foreign image: only uploaded ones are loaded. */
import { Group, Image, Paper, Stack, Text, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";

import { socialImageName } from "../../../core/images/image-names.ts";
import {
  SOCIAL_DESCRIPTION_MAX_CHARS,
  SOCIAL_IMAGE_MAX_BYTES,
  SOCIAL_IMAGE_SIDE_MAX_PX,
  SOCIAL_TITLE_MAX_CHARS,
} from "../../../core/limits.ts";
import { Hint, SmallButton } from "../../components/buttons.tsx";
import { FilePicker } from "../../components/inputs.tsx";
import { readableHost } from "../../formatting/hosts.ts";
import { completeUrl } from "../../../core/links/typed-url.ts";
import { socialTexts as texts } from "../../texts/link-form.ts";
import { FormSection } from "./form-sections.tsx";
import type { LinkFields } from "./link-form.ts";

interface SocialSectionProps {
  form: LinkFields;
  /** Uploaded when the form is saved. */
  file: File | null;
  onFile: (file: File | null) => void;
}

export function SocialSection({ form, file, onFile }: SocialSectionProps) {
  const { title, description, image } = form.values.social;
  const [isTooLarge, setTooLarge] = useState(false);
  const choose = (chosen: File) => {
    const isAllowed = chosen.size <= SOCIAL_IMAGE_MAX_BYTES;
    setTooLarge(!isAllowed);
    if (isAllowed) onFile(chosen);
  };
  return (
    <FormSection
      title={texts.section}
      summary={[title, description, file?.name ?? image].filter((text) => text !== "").join(", ")}
      hasError={Object.keys(form.errors).some((name) => name.startsWith("social"))}
    >
      <Hint>{texts.hint}</Hint>
      <TextInput label={texts.title} maxLength={SOCIAL_TITLE_MAX_CHARS} {...form.getInputProps("social.title")} />
      <TextInput
        label={texts.description}
        maxLength={SOCIAL_DESCRIPTION_MAX_CHARS}
        {...form.getInputProps("social.description")}
      />
      <TextInput
        label={texts.image}
        description={texts.imageHint(SOCIAL_IMAGE_MAX_BYTES / 1024 ** 2, SOCIAL_IMAGE_SIDE_MAX_PX)}
        disabled={file !== null}
        {...form.getInputProps("social.image")}
        {...(isTooLarge && { error: texts.tooLarge(SOCIAL_IMAGE_MAX_BYTES / 1024 ** 2) })}
      />
      <Group gap="xs">
        <FilePicker onFile={choose} accept="image/png,image/jpeg,image/webp">
          {(props) => <SmallButton {...props}>{texts.upload}</SmallButton>}
        </FilePicker>
        {file !== null && <SmallButton onClick={() => onFile(null)}>{texts.discard(file.name)}</SmallButton>}
      </Group>
      <SocialPreview form={form} file={file} />
    </FormSection>
  );
}

function SocialPreview({ form, file }: Pick<SocialSectionProps, "form" | "file">) {
  const { title, description, image } = form.values.social;
  const fileUrl = useObjectUrl(file);
  if (title === "" && description === "" && image === "" && file === null) return null;
  const isUploaded = socialImageName(image) !== null;
  const host = readableHost(URL.parse(completeUrl(form.values.url))?.hostname ?? "");
  return (
    <>
      <PreviewFigure
        label={texts.section}
        image={fileUrl ?? (isUploaded ? image : null)}
        host={host}
        title={title || host}
        description={description || null}
      />
      {file === null && image !== "" && !isUploaded && <Hint>{texts.foreignImage}</Hint>}
    </>
  );
}

/** The URL of a chosen file while it is shown; null without one. */
function useObjectUrl(file: File | null): string | null {
  const [url, setUrl] = useState<string | null>(null);
  useEffect(() => {
    if (!file) return setUrl(null);
    const created = URL.createObjectURL(file);
    setUrl(created);
    return () => URL.revokeObjectURL(created);
  }, [file]);
  return url;
}

interface PreviewFigureProps {
  label: string;
  image: string | null;
  host: string;
  title: string;
  description: string | null;
}

export function PreviewFigure({ label, image, host, title, description }: PreviewFigureProps) {
  const [failedImage, setFailedImage] = useState("");
  return (
    <Paper withBorder component="figure" m={0} maw={420} aria-label={label}>
      {image !== null && image !== failedImage && (
        <Image src={image} alt="" h={180} fit="cover" onError={() => setFailedImage(image)} />
      )}
      <Stack gap={2} p="sm">
        <Hint size="xs" truncate>
          {host}
        </Hint>
        <Text size="sm" fw={600} lineClamp={2}>
          {title}
        </Text>
        {description !== null && <Hint lineClamp={2}>{description}</Hint>}
      </Stack>
    </Paper>
  );
}
