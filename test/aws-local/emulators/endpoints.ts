/** Addresses of the services on this machine, each as `http://127.0.0.1:<port>`. */
export interface Endpoints {
  readonly dynamodb: string;
  readonly sqs: string;
  readonly s3: string;
  readonly kms: string;
  readonly secretsManager: string;
}

/** Addresses of the services that know the template, which start after the others. */
export interface ServiceEndpoints {
  readonly lambda: string;
  readonly codeBuild: string;
  readonly logs: string;
}
