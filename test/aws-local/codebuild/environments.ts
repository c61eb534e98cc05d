/** What CodeBuild offers for a type of environment. */
interface Offer {
  readonly images: readonly string[];
  readonly computeTypes: readonly string[];
}

/**
 * The types of environment that a project may have here, with CodeBuild's own images that have Node, and the computes.
 *
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/lambda-compute-images.html
 * @see https://docs.aws.amazon.com/codebuild/latest/userguide/ec2-compute-images.html
 * @see https://docs.aws.amazon.com/codebuild/latest/APIReference/API_ProjectEnvironment.html
 */
const OFFERED: Readonly<Record<string, Offer>> = {
  ARM_LAMBDA_CONTAINER: {
    images: ['18', '20', '22', '24'].map((node) => `aws/codebuild/amazonlinux-aarch64-lambda-standard:nodejs${node}`),
    computeTypes: ['1GB', '2GB', '4GB', '8GB', '10GB'].map((memory) => `BUILD_LAMBDA_${memory}`),
  },
  LINUX_CONTAINER: {
    images: [
      ...['4.0', '5.0', '6.0'].map((version) => `aws/codebuild/amazonlinux-x86_64-standard:${version}`),
      ...['6.0', '7.0', '8.0'].map((version) => `aws/codebuild/standard:${version}`),
    ],
    computeTypes: ['SMALL', 'MEDIUM', 'LARGE', 'XLARGE', '2XLARGE'].map((size) => `BUILD_GENERAL1_${size}`),
  },
};

/** The environment of a project. */
export interface Environment {
  readonly type: string;
  readonly image: string;
  readonly computeType: string;
}

/** Returns what CodeBuild does not offer of an environment; undefined when it offers all of it. */
export function notOffered({ type, image, computeType }: Environment): string | undefined {
  const offer = OFFERED[type];
  if (!offer) return `the environment type ${type}`;
  if (!offer.images.includes(image)) return `the image ${image} for ${type}`;
  return offer.computeTypes.includes(computeType) ? undefined : `the compute type ${computeType} for ${type}`;
}
