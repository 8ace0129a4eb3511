// The light that spills over; the blend state lays it over the scene.
#include "../common/sets.glsl"
#pragma param glow "strength of the glow" 0.5 0 1

PASS uniform sampler2D blurred;
PASS uniform Params { float glow; } params;

in vec2 uv;
out vec4 out_scene;

void main() {
    out_scene = texture(blurred, uv) * params.glow;
}
