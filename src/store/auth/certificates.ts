/**
 * Stands in for `@peculiar/x509` in the Worker's bundle (`alias` in wrangler.toml), which only checks certificates of
 * authenticators against their makers. Passkeys are created without attestation, so an answer with such a certificate
 * is forged. The package would download the revocation list that the answer names.
 */
class Certificate {
  constructor() {
    throw new Error("The certificates of authenticators are not checked");
  }
}

export {
  Certificate as AuthorityKeyIdentifierExtension,
  Certificate as CRLDistributionPointsExtension,
  Certificate as SubjectKeyIdentifierExtension,
  Certificate as X509Certificate,
  Certificate as X509ChainBuilder,
  Certificate as X509Crl,
};
