"""Reading, generating, keeping: streams, arrays and model files."""
