/** Sign in with e-mail and password, or one of the other ways. */
import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { configQuery, freshStart } from "../../api/account.ts";
import { ApiError, messageOf } from "../../api/api-error.ts";
import { auth, authAnswer } from "../../api/auth.ts";
import { AuthFrame } from "./auth-frame.tsx";
import { nextPath } from "./next.ts";
import { OtherWays } from "./other-ways.tsx";

/** What GitHub and Google send people back with. */
const PROVIDER_ERRORS: Record<string, string> = {
  signup_disabled: "New accounts are closed here. Sign in with an account that you have.",
  account_not_linked: "There is an account with this e-mail address already. Sign in with its password.",
  access_denied: "Sign-in was cancelled",
};

export default function SignIn() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const next = nextPath(search);
  const returned = new URLSearchParams(search).get("error");
  const config = useQuery(configQuery);
  const form = useForm({
    initialValues: { email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : "Enter your e-mail address"),
      password: (value) => (value ? null : "Enter your password"),
    },
  });

  const enter = useMutation({
    mutationFn: async (way: "password" | "passkey") => {
      const { email, password } = form.getValues();
      if (way === "passkey") await authAnswer(auth.signIn.passkey());
      else await authAnswer(auth.signIn.email({ email: email.trim(), password }));
    },
    onSuccess: () => {
      freshStart();
      navigate(next, { replace: true });
    },
    onError: (error) => showError(error),
  });

  function showError(error: unknown) {
    if (error instanceof ApiError) form.setErrors(error.fields());
  }

  const atField = enter.error instanceof ApiError && enter.error.problems.length > 0;
  const problem =
    enter.error && !atField
      ? messageOf(enter.error)
      : returned && (PROVIDER_ERRORS[returned.toLowerCase()] ?? "Signing in there did not work. Try again.");

  return (
    <AuthFrame
      title="Sign in"
      below={
        config.data?.signups === "closed" ? (
          "New accounts are closed here"
        ) : (
          <>
            No account yet?{" "}
            <Anchor component={Link} to={`/sign-up${search ? `?${search}` : ""}`} inherit>
              Sign up
            </Anchor>
          </>
        )
      }
    >
      <form onSubmit={form.onSubmit(() => enter.mutate("password"))} noValidate>
        <Stack>
          {problem && (
            <Alert color="red" role="alert">
              {problem}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username webauthn"
            required
            key={form.key("email")}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={enter.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      {config.data && (
        <OtherWays config={config.data} next={next} onPasskey={() => enter.mutate("passkey")} onError={showError} />
      )}
    </AuthFrame>
  );
}
