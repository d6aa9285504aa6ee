/** Sign-up with e-mail and password, unless the operator has closed it. */
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { type ServiceConfig, configQuery, clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { useSingleMutation } from "../../api/use-single-mutation.ts";
import { FormError } from "../../components/form-error.tsx";
import { ListSkeleton } from "../../components/skeletons.tsx";
import { ErrorState } from "../../components/states.tsx";
import { authTexts, newPasswordTexts, signUpTexts as texts } from "../../texts/auth.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { returnPath } from "./return-path.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";
import { passwordError } from "./password-error.ts";

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
      {config.data?.signups === "closed" && <Text>{authTexts.closedHint}</Text>}
      {config.data?.signups === "open" && <SignUpForm config={config.data} next={returnPath(search)} />}
    </AuthLayout>
  );
}

function SignUpForm({ config, next }: { config: ServiceConfig; next: string }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : authTexts.emailMissing),
      password: passwordError,
    },
  });
  const signUp = useSingleMutation({
    mutationFn: () => {
      const { name, email, password } = form.getValues();
      return unwrapAuth(authClient.signUp.email({ name: name.trim(), email: email.trim(), password }));
    },
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
          <TextInput label={texts.name} autoComplete="name" {...form.getInputProps("name")} />
          <TextInput
            label={authTexts.email}
            type="email"
            autoComplete="username"
            required
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label={authTexts.password}
            description={newPasswordTexts.hint(PASSWORD_MIN_CHARS)}
            autoComplete="new-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={signUp.isPending}>
            {texts.submit}
          </Button>
        </Stack>
      </form>
      <AlternativeSignIn config={config} returnTo={next} />
    </>
  );
}
