/** Dialog that creates one link. */
import { Button, Group, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Link as RouterLink } from "wouter";

import type { CreateLink as NewLink, Link } from "../../../core/contract/links.ts";
import { ApiError } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { useActiveDomainNames } from "../../api/domains.ts";
import { DestinationInput } from "../../components/destination-input.tsx";
import { FormError } from "../../components/form-error.tsx";
import { CopyTextButton } from "../../components/copy-buttons.tsx";
import { fromDatetimeLocal } from "../../formatting/datetime-local.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import { BROWSER_TIME_ZONE } from "../../formatting/time-zones.ts";
import { SlugInput } from "./slug-input.tsx";

export default function CreateLink({ onClose }: { onClose: () => void }) {
  const { mode } = useApi();
  const [created, setCreated] = useState<Link>();
  return (
    <Modal
      opened
      onClose={onClose}
      title={created ? "Link created" : mode === "test" ? "Create a test link" : "Create a link"}
      size="lg"
    >
      {created ? (
        <CreatedLink link={created} onAnother={() => setCreated(undefined)} onClose={onClose} />
      ) : (
        <CreateLinkForm onCreated={setCreated} onCancel={onClose} />
      )}
    </Modal>
  );
}

function CreateLinkForm({ onCreated, onCancel }: { onCreated: (link: Link) => void; onCancel: () => void }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const domains = useActiveDomainNames();
  const form = useForm({
    initialValues: { url: "", slug: "", domain: "", expires_at: "" },
    validate: {
      url: (value) => (value.trim() ? null : "Enter where the link leads"),
      expires_at: (value) =>
        value && fromDatetimeLocal(value, BROWSER_TIME_ZONE) <= new Date().toISOString()
          ? "Choose a time in the future"
          : null,
    },
  });
  const create = useMutation({
    mutationFn: (json: NewLink) => unwrap(api.links.$post({ json })),
    onSuccess: (link) => {
      void queries.invalidateQueries({ queryKey: [mode, "links"] });
      onCreated(link);
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });
  const submit = ({ url, slug, domain, expires_at }: typeof form.values) => {
    const expiry = fromDatetimeLocal(expires_at, BROWSER_TIME_ZONE);
    create.mutate({
      url: completeUrl(url),
      ...(slug ? { slug } : {}),
      ...(domain ? { domain } : {}),
      ...(expiry ? { expires_at: expiry } : {}),
    });
  };

  return (
    <form onSubmit={form.onSubmit(submit)} noValidate>
      <Stack>
        <FormError error={create.error} />
        <DestinationInput
          label="Destination"
          placeholder="https://example.com/spring"
          required
          data-autofocus
          {...form.getInputProps("url")}
        />
        {domains.length > 1 && <NativeSelect label="Domain" data={domains} {...form.getInputProps("domain")} />}
        <SlugInput
          isCheckable={form.values.domain === "" || form.values.domain === domains[0]}
          value={form.values.slug}
          onChange={(slug) => form.setFieldValue("slug", slug)}
          error={form.errors.slug}
        />
        <TextInput
          label="Expires"
          description="In your time zone. From then on visitors get an error page. Empty: never."
          type="datetime-local"
          {...form.getInputProps("expires_at")}
        />
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create link
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CreatedLink({ link, onAnother, onClose }: { link: Link; onAnother: () => void; onClose: () => void }) {
  return (
    <Stack>
      <Text fw={600} fz="lg" role="status" style={{ overflowWrap: "anywhere" }}>
        {link.short_url}
      </Text>
      <Text size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
        leads to {link.url}
      </Text>
      <Group>
        <CopyTextButton value={link.short_url} label="short URL" />
        <Button component={RouterLink} to={`/links/${link.id}`} variant="default">
          Open link
        </Button>
        <Button variant="subtle" onClick={onAnother}>
          Create another
        </Button>
        <Button variant="subtle" onClick={onClose}>
          Done
        </Button>
      </Group>
    </Stack>
  );
}
