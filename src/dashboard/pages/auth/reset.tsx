/** Opens a one-time link of the operator, which resets the password or removes the authenticator app. */
import { Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";

import type { ResetInfo } from "../../../core/contract/dashboard.ts";
import { hasCode } from "../../api/api-error.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { SubmitButton } from "../../components/buttons.tsx";
import { Form, showAtFields } from "../../components/form.tsx";
import { ListSkeleton, Loaded } from "../../components/states.tsx";
import { authTexts, resetTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SignInNext } from "./auth-layout.tsx";
import { NewPasswordInput, passwordError } from "./sign-in-parts.tsx";
import { useFragmentToken } from "./setup.tsx";

const { reset } = apiClients.live;

export default function Reset() {
  const token = useFragmentToken();
  return (
    <AuthLayout title={texts.title}>
      {token === null ? <SignInNext>{texts.noToken}</SignInNext> : <ResetWithToken key={token} token={token} />}
    </AuthLayout>
  );
}

function ResetWithToken({ token }: { token: string }) {
  const check = useQuery({
    queryKey: ["reset", token],
    queryFn: () => unwrap(reset.check.$post({ json: { token } })),
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (hasCode(check.error, "invalid_setup_token")) return <SignInNext>{texts.refused}</SignInNext>;
  return (
    <Loaded query={check} skeleton={<ListSkeleton rows={2} />}>
      {(info) => <ResetForm token={token} info={info} />}
    </Loaded>
  );
}

function ResetForm({ token, info: { kind, email } }: { token: string; info: ResetInfo }) {
  const form = useForm({
    initialValues: { password: "" },
    validate: { password: (value) => (kind === "password" ? passwordError(value) : null) },
  });
  const perform = useSingleMutation({
    mutationFn: (values: typeof form.values) =>
      unwrap(reset.$post({ json: kind === "password" ? { token, ...values } : { token } })),
    onError: showAtFields(form),
  });
  if (perform.isSuccess) return <SignInNext>{texts.done[kind]}</SignInNext>;
  if (hasCode(perform.error, "invalid_setup_token")) return <SignInNext>{texts.refused}</SignInNext>;
  return (
    <Form form={form} onSubmit={perform.mutate} error={perform.error}>
      <Text size="sm">{texts.about[kind]}</Text>
      <TextInput label={authTexts.email} value={email} readOnly autoComplete="username" />
      {kind === "password" && <NewPasswordInput label={texts.newPassword} {...form.getInputProps("password")} />}
      <SubmitButton loading={perform.isPending}>{texts.submit[kind]}</SubmitButton>
    </Form>
  );
}
