/** The values that set-up instructions are written with. */
export interface SetupValues {
  /** The address of the service's endpoint with the login in it. */
  readonly url: string;
  /** The same without the login. */
  readonly plainUrl: string;
  /** The value of the `Authorization` header with the login. */
  readonly authorization: string;
  /** User name and secret of the login; a placeholder unless the secret is to be shown. */
  readonly user: string;
  readonly secret: string;
  /** `owner/name`. */
  readonly repository: string;
  /** Returns the origin of the host's pages: of the user's own host, or else the usual one. */
  web(usual: string): string;
}

/** Instructions to set up a webhook. */
export interface SetupGuide {
  /** The page of settings, or the file to edit. */
  readonly where: string;
  /** The settings to enter there: name and value. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  /** The lines to add to a file. */
  readonly lines?: string;
  /** The name of the setting that takes the secret to sign calls with. */
  readonly secretSetting?: string;
  /** What else to know, a sentence or two each. */
  readonly notes?: readonly string[];
}

/** Returns the instructions with the given values in them. */
export type Setup = (values: SetupValues) => SetupGuide;
