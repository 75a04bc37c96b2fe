declare module "*.gz" {
  const bytes: Uint8Array<ArrayBuffer>;
  export default bytes;
}
