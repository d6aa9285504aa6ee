/** Replaces the sign-in library where the benchmark measures the Worker without it. */

const nothing = (): never => {
  throw new Error("left out");
};

export {
  nothing as APIError,
  nothing as betterAuth,
  nothing as createAuthMiddleware,
  nothing as getSessionFromCtx,
  nothing as passkey,
  nothing as verifyPassword,
};
