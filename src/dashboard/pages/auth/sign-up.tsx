/** Sign-up with e-mail and password, unless the operator has closed it. */
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { type ServiceConfig, configQuery, clearQueryCache } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { FormError } from "../../components/form-error.tsx";
import { ListSkeleton } from "../../components/skeletons.tsx";
import { ErrorState } from "../../components/states.tsx";
import { AuthLayout } from "./auth-layout.tsx";
import { returnPath } from "./return-path.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";
import { passwordError } from "./password-error.ts";

export default function SignUp() {
  const search = useSearch();
  const config = useQuery(configQuery);
  return (
    <AuthLayout
      title="Sign up"
      footer={
        <>
          Have an account?{" "}
          <Anchor component={Link} to={`/sign-in${search ? `?${search}` : ""}`} inherit>
            Sign in
          </Anchor>
        </>
      }
    >
      {config.isPending && <ListSkeleton rows={3} />}
      {config.error && <ErrorState error={config.error} retry={() => void config.refetch()} />}
      {config.data?.signups === "closed" && <Text>New accounts are closed here. Ask whoever runs this service.</Text>}
      {config.data?.signups === "open" && <SignUpForm config={config.data} next={returnPath(search)} />}
    </AuthLayout>
  );
}

function SignUpForm({ config, next }: { config: ServiceConfig; next: string }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : "Enter your e-mail address"),
      password: passwordError,
    },
  });
  const signUp = useMutation({
    mutationFn: () => {
      const { name, email, password } = form.getValues();
      return unwrapAuth(authClient.signUp.email({ name: name.trim(), email: email.trim(), password }));
    },
    onSuccess: () => {
      clearQueryCache();
      navigate(next, { replace: true });
    },
    onError: (error) => showFieldErrors(error),
  });

  function showFieldErrors(error: unknown) {
    if (error instanceof ApiError) form.setErrors(error.fieldErrors());
  }

  return (
    <>
      <form onSubmit={form.onSubmit(() => signUp.mutate())} noValidate>
        <Stack>
          <FormError error={signUp.error} />
          <TextInput label="Name" autoComplete="name" {...form.getInputProps("name")} />
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps("email")} />
          <PasswordInput
            label="Password"
            description={`At least ${PASSWORD_MIN_CHARS} characters`}
            autoComplete="new-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={signUp.isPending}>
            Sign up
          </Button>
        </Stack>
      </form>
      <AlternativeSignIn config={config} returnTo={next} onError={showFieldErrors} />
    </>
  );
}
