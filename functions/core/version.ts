import manifest from '../../package.json' with { type: 'json' };

/** The version of the API, semver: the value of `x-api-version`; its major is the first path segment. */
export const version: string = manifest.version;
