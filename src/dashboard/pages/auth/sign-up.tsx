/** Sign-up with e-mail and password, unless the operator has closed it. */
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { type ServiceConfig, configQuery, clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/mutations.ts";
import { FormError } from "../../components/form.tsx";
import { ErrorState, ListSkeleton } from "../../components/states.tsx";
import { authTexts, setupTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { AuthLayout, SetupCommand } from "./auth-layout.tsx";
import { NewAccountFields, newAccountOf, useNewAccountForm } from "./new-account-fields.tsx";
import { returnPath } from "../../signed-out-paths.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";

export default function SignUp() {
  const search = useSearch();
  const config = useQuery(configQuery);
  return (
    <AuthLayout
      title={texts.title}
      footer={
        <>
          {texts.haveAccount}{" "}
          <Anchor component={Link} to={`/sign-in${search ? `?${search}` : ""}`} inherit>
            {texts.signIn}
          </Anchor>
        </>
      }
    >
      {config.isPending && <ListSkeleton rows={3} />}
      {config.error && <ErrorState error={config.error} retry={() => void config.refetch()} />}
      {config.data?.signups === "closed" && config.data.has_accounts && <Text>{authTexts.closedHint}</Text>}
      {config.data?.signups === "closed" && !config.data.has_accounts && <SetupCommand reason={setupTexts.noAccount} />}
      {config.data?.signups === "open" && <SignUpForm config={config.data} next={returnPath(search)} />}
    </AuthLayout>
  );
}

function SignUpForm({ config, next }: { config: ServiceConfig; next: string }) {
  const [, navigate] = useLocation();
  const form = useNewAccountForm();
  const signUp = useSingleMutation({
    mutationFn: () => unwrapAuth(authClient.signUp.email(newAccountOf(form))),
    onSuccess: () => {
      clearQueryCache();
      navigate(next, { replace: true });
    },
    onError: (error) => error instanceof ApiError && form.setErrors(error.fieldErrors()),
  });

  return (
    <>
      <form onSubmit={form.onSubmit(() => signUp.mutate())} noValidate>
        <Stack>
          <FormError error={signUp.error} />
          <NewAccountFields form={form} />
          <Button type="submit" loading={signUp.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
      <AlternativeSignIn config={config} returnTo={next} />
    </>
  );
}
