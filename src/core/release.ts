/** The version in package.json, which Node cannot import here as the bundler does. A test compares the two. */
export const RELEASE = "0.1.0";
