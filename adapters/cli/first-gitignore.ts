// The .gitignore that quern init writes: what a running server and npm leave in the folder, and files with secrets.

export const firstGitignore = `node_modules/
dist/
*.log

# The store of quern dev and quern start.
data/

# Tokens and keys belong to the environment.
.env
.env.*
!.env.example
*.token
*.pem
`;
