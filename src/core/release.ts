/** The release of this code, as in package.json, which Node cannot import here as the bundler would; a test compares them. */
export const RELEASE = "0.1.0";
