/** A style sheet is a file of its own; this is its address. */
declare module "*.css" {
  const address: string;
  export default address;
}
